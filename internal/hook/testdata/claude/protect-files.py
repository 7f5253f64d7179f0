#!/usr/bin/env python3
import json, os, sys

data = json.load(sys.stdin)
path = data["tool_input"].get("file_path", "")
assert os.path.isabs(path), path
if any(p in path for p in [".env", "package-lock.json", ".git/"]):
    print(json.dumps({"decision": "block", "reason": os.path.basename(path) + " is protected"}))
sys.exit(0)
