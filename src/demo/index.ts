export { DEMO_PROFILES, type DemoProfile } from "./profiles/names.js";
export type { DemoOptions } from "./options.js";
export { recordDemo, recordDemos, type RecordOptions } from "./record.js";
export { startDemoServer, type DemoServer, type DemoServerOptions } from "./server.js";
export { SCENARIO_NAMES, scenarioServers, type ScenarioName } from "./scenarios.js";
