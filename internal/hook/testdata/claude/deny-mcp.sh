#!/bin/sh
echo "nothing is deleted" >&2
exit 2
