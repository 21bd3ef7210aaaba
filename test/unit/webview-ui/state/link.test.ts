import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UserError } from "../../../../src/core/text/errors.js";
import { offsetNs } from "../../../../src/core/model/index.js";
import { LinkRelay, type LinkMember } from "../../../../src/extension/view/link-relay.js";
import {
  ChannelClient,
  ChannelServer,
  type FollowState,
  type Handlers,
  type RunAdjustment,
  type RunHeader,
  type ViewEvents,
  type ViewRequests,
} from "../../../../src/protocol/index.js";
import { EMPTY_LAYOUT, layoutActions, type Layout } from "../../../../webview-ui/state/layout.js";
import { createLinkStore } from "../../../../webview-ui/state/link.js";
import type { Viewport } from "../../../../webview-ui/state/run-store.js";
import { pipe } from "../../../support/pipe.js";
import { runHeader } from "../../../support/run-header.js";

const refuse = (): never => {
  throw new Error("not asked here");
};
const HEADER = runHeader({ now: offsetNs(100e9), elapsedSeconds: 100, scrapes: 100 });

/** A page with the true store, and the host's end of it with the true relay. */
class View implements LinkMember {
  readonly header = signal<RunHeader | undefined>(HEADER);
  readonly viewport = signal<Viewport | undefined>(undefined);
  readonly layout = signal<Layout>(EMPTY_LAYOUT);
  readonly actions = layoutActions((change) => (this.layout.value = change(this.layout.value)));
  readonly sent: FollowState[] = [];
  isActive = false;
  readonly link: ReturnType<typeof createLinkStore>;
  readonly tell: LinkMember["tell"];

  constructor(
    private readonly relay: LinkRelay,
    families: readonly string[],
    adjustable = true,
  ) {
    const [hostEnd, viewEnd] = pipe();
    const server: ChannelServer<
      Pick<ViewRequests, "linkState" | "link" | "followLinked" | "adjust">,
      ViewEvents
    > = new ChannelServer(hostEnd, this.handlers());
    this.tell = (name, payload) => server.emit(name, payload);
    relay.add(this);
    this.header.value = { ...HEADER, adjustable };
    for (const family of families) this.actions.show(family);
    this.link = createLinkStore(
      { client: new ChannelClient<ViewRequests, ViewEvents>(viewEnd), header: this.header, viewport: this.viewport },
      { layout: this.layout, ready: signal(true), follow: this.actions.follow },
    );
  }

  get families(): readonly string[] {
    return this.layout.value.charts.map(({ family }) => family);
  }

  private handlers(): Handlers<Pick<ViewRequests, "linkState" | "link" | "followLinked" | "adjust">> {
    return {
      linkState: () => this.relay.stateOf(this),
      link: ({ linked, state }) => {
        this.relay.link(this, linked, state);
        return null;
      },
      followLinked: (state) => {
        this.sent.push(state);
        this.relay.follow(this, state);
        return null;
      },
      adjust: ({ sliceSeconds }: RunAdjustment) => {
        if (sliceSeconds === undefined) return refuse();
        if (sliceSeconds > 30) throw new UserError("too long", undefined, { code: "unusable-settings" });
        this.header.value = { ...HEADER, sliceDurationSeconds: sliceSeconds };
        return null;
      },
    };
  }
}

describe("linked views", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const settle = () => vi.advanceTimersByTimeAsync(500);

  async function linked(adjustable = true) {
    const relay = new LinkRelay();
    const a = new View(relay, ["x", "y"]);
    const b = new View(relay, ["y", "z"], adjustable);
    await settle();
    await a.link.toggle();
    await settle();
    return { relay, a, b };
  }

  it("show what the one showed that linked them, and say so", async () => {
    const { a, b } = await linked();
    expect([a.link.state.value, b.link.state.value]).toMatchObject([
      { linked: true, others: 1 },
      { linked: true, others: 1 },
    ]);
    expect([a.families, b.families]).toEqual([
      ["x", "y"],
      ["x", "y"],
    ]);
    expect([a.sent, b.sent]).toEqual([[], []]);
  });

  it("follow zoom, charts and slices both ways, sent once and never back", async () => {
    const { a, b } = await linked();
    a.viewport.value = { from: 10, to: 20 };
    a.viewport.value = { from: 10.25, to: 20 };
    await settle();
    expect(b.viewport.value).toEqual({ from: 10.25, to: 20 });
    expect([a.sent.length, b.sent.length]).toEqual([1, 0]);

    b.actions.show("z");
    b.actions.changeChart(b.layout.value.charts[0]!.id, { mode: "shares" });
    await settle();
    expect(a.layout.value.charts.map(({ family, mode }) => [family, mode])).toEqual([
      ["x", "shares"],
      ["y", undefined],
      ["z", undefined],
    ]);
    expect([a.sent.length, b.sent.length]).toEqual([1, 1]);

    a.header.value = { ...HEADER, sliceDurationSeconds: 2 };
    await settle();
    expect(b.header.value?.sliceDurationSeconds).toBe(2);
    a.viewport.value = undefined;
    await settle();
    expect(b.viewport.value).toBeUndefined();
    expect([a.sent.length, b.sent.length]).toEqual([3, 1]);
  });

  it("keep their own series, and do not pull others back to a slice length that they cannot take", async () => {
    const { a, b } = await linked(false);
    b.actions.changeChart(b.layout.value.charts[1]!.id, { series: [7] as never });
    a.header.value = { ...HEADER, sliceDurationSeconds: 2 };
    await settle();
    b.viewport.value = { from: 1, to: 2 };
    await settle();
    expect(b.header.value?.sliceDurationSeconds).toBe(5);
    expect(a.header.value?.sliceDurationSeconds).toBe(2);
    expect(b.sent).toEqual([{ zoom: { from: 1, to: 2 }, charts: [{ family: "x" }, { family: "y" }], sliceSeconds: 2 }]);
    expect(b.layout.value.charts[1]).toMatchObject({ family: "y", series: [7] });
    a.header.value = { ...HEADER, sliceDurationSeconds: 60 };
    await settle();
    expect(a.header.value?.sliceDurationSeconds).toBe(60);
  });

  it("are let go one by one; the last alone is not linked", async () => {
    const { relay, a, b } = await linked();
    const c = new View(relay, []);
    await settle();
    expect(c.link.state.value.linked).toBe(false);
    await c.link.toggle();
    await settle();
    expect([a, b, c].map((view) => view.link.state.value.others)).toEqual([2, 2, 2]);
    expect(a.families).toEqual([]);
    await b.link.toggle();
    await settle();
    b.viewport.value = { from: 1, to: 2 };
    await settle();
    expect([a.viewport.value, c.viewport.value]).toEqual([undefined, undefined]);
    relay.remove(c);
    await settle();
    expect([a, b].map((view) => view.link.state.value.linked)).toEqual([false, false]);
  });

  it("are shown again as the others are when a page is built anew", async () => {
    const { relay, a, b } = await linked();
    a.viewport.value = { from: 3, to: 9 };
    await settle();
    expect(relay.stateOf(b)).toMatchObject({ linked: true, latest: { zoom: { from: 3, to: 9 } } });
  });

  it("need another run, and the command one in front", async () => {
    const relay = new LinkRelay();
    const alone = new View(relay, ["x"]);
    await settle();
    await expect(Promise.all([alone.link.toggle(), settle()])).rejects.toMatchObject({
      code: "nothing-to-link",
      message: "no other run is open",
    });
    expect(() => relay.toggleActive()).toThrow("no run is open in the active editor");
    alone.isActive = true;
    expect(() => relay.toggleActive()).toThrow("no other run is open");
    const other = new View(relay, []);
    await settle();
    relay.toggleActive();
    await settle();
    expect(other.link.state.value.linked).toBe(true);
    expect(other.families).toEqual(["x"]);
  });
});
