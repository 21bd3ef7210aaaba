import { ChannelClient } from "../src/protocol/index.js";
import { render } from "preact";
import { webviewPort } from "./channel.js";
import { followTheme } from "./charts/theme.js";
import { RunView } from "./run-view.js";
import { ViewProvider } from "./state/context.js";
import { createLayoutStore, remembered } from "./state/layout-store.js";
import { createRunStore } from "./state/run-store.js";
import "./styles/view.css";
import { registerToolkit } from "./toolkit.js";

registerToolkit();
const api = acquireVsCodeApi();
const root = document.getElementById("root");
if (root === null) throw new Error('the page has no element with the id "root"');

const run = createRunStore(new ChannelClient(webviewPort(api)), remembered(api));
const layout = createLayoutStore(run, api);
followTheme();
render(
  <ViewProvider value={{ run, layout }}>
    <RunView />
  </ViewProvider>,
  root,
);
