import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { ChannelClient } from "../../src/protocol/index.js";
import { PageTimeProvider } from "../charts/viewport.js";
import { webviewPort, type HostApi } from "../channel.js";
import { createComparedChecks } from "./charts/assertions.js";
import { ComparisonView } from "./comparison-view.js";
import { ComparisonProvider } from "./context.js";
import { createComparisonLayout, rememberedColors } from "./layout.js";
import { makeRunColors } from "./run-colors.js";
import { createComparisonStore, type ComparisonPageClient } from "./store.js";

/** The comparison view with all that it rests on. */
export function comparisonView(api: HostApi): VNode {
  const client: ComparisonPageClient = new ChannelClient(webviewPort(api));
  const store = createComparisonStore(client, makeRunColors(rememberedColors(api)));
  const layout = createComparisonLayout(store, api);
  const assertions = createComparedChecks(store);
  return (
    <ComparisonProvider value={{ store, layout, assertions, shown: signal(undefined) }}>
      <PageTimeProvider of={store}>
        <ComparisonView />
      </PageTimeProvider>
    </ComparisonProvider>
  );
}
