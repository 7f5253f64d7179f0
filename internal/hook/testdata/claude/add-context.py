#!/usr/bin/env python3
import json
import re
import sys
import datetime

input_data = json.load(sys.stdin)
prompt = input_data.get("prompt", "")
if re.search(r"(?i)\b(password|secret|key|token)\s*[:=]", prompt):
    print(json.dumps({"decision": "block", "reason": "The prompt has sensitive data."}))
    sys.exit(0)
print(f"Current time: {datetime.datetime.now()}")
