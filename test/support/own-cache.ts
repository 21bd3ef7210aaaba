import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";

// What a capture remembers of endpoints is kept out of the user's own folder, and out of other tests, whose servers had
// the same ports.
process.env["XDG_CACHE_HOME"] = path.join(tmpdir(), "server-metrics-tests-cache", randomUUID());
