"""Reads our JSON and JSONL with AIPerf's own data models. Usage: aiperf_models.py JSON JSONL; prints what it read."""

import json
import sys

from aiperf.common.models.server_metrics_models import ServerMetricsExportData, SlimRecord

with open(sys.argv[1]) as file:
    data = ServerMetricsExportData.model_validate_json(file.read())
lines = 0
with open(sys.argv[2]) as file:
    for line in file:
        record = json.loads(line)
        if "event" in record:
            continue
        SlimRecord.model_validate(record)
        lines += 1
print(f"{len(data.metrics)} families, {lines} scrapes")
