import { t } from "@vscode/l10n";
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { FamilyOption } from "../components/family-list.js";
import { Popover } from "../components/popover.js";
import { SearchList, type SearchItem } from "../components/search-list.js";
import { grouped, plural } from "../../src/core/text/plural.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { useAnswer, useView } from "../state/context.js";
import { pinnedFirst } from "../state/layout.js";
import { excerpt, find, searchIndex, type SearchHit, go } from "./find.js";

/** Label values change with the series: asked again while the list is open. */
const REFRESH_MS = 10_000;

/** No group is longer than this in the list; more words narrow it. */
const EACH = 40;

interface HitItem extends SearchItem {
  readonly hit: SearchHit;
}

const MAC = navigator.userAgent.includes("Mac");

/** One search over families, labels and descriptions of the run; Ctrl+F, or Cmd+F on a Mac, opens it. */
export function SearchBox() {
  const { run, layout, menu } = useView();
  const open = useSignal(false);
  const live = useAnswer("labels", {}, REFRESH_MS, { inSight: open });
  const state = live.state.value;
  const labels = live.latest.value;
  const families = run.families.value;
  const { pinned } = layout.layout.value;
  const index = useMemo(
    () =>
      searchIndex(
        pinnedFirst(families, pinned, (family) => family.name),
        labels ?? [],
      ),
    [families, labels, pinned],
  );
  const note =
    state.kind === "failed"
      ? t`Labels cannot be searched: ${state.error.message}`
      : labels === undefined
        ? t("Reading the labels…")
        : undefined;
  return (
    <Popover
      label={t`Search metrics and labels (${MAC ? "⌘F" : t("Ctrl+F")})`}
      align="right"
      onOpen={(now) => (open.value = now)}
      hotkey={(event) =>
        (MAC ? event.metaKey : event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "f"
      }
      icon="search"
      text={t("Search")}
    >
      {(close) => (
        <SearchList<HitItem>
          label={t("Search metrics, labels and descriptions")}
          find={(search) => itemsOf(search)}
          note={note}
          onPick={({ hit }) => {
            close();
            go(hit, layout.layout.peek(), layout, (name) => run.familyByName.peek().get(name));
          }}
          onMenu={({ hit }, anchor) => {
            if (hit.kind !== "label")
              menu.value = {
                anchor,
                subject: {
                  family: hit.family.name,
                  shows: layout.layout.peek().tab === "statistics" ? "statistics" : "course",
                },
              };
          }}
          hasMenu={({ hit }) => hit.kind !== "label"}
          render={({ hit }, search) => <HitView hit={hit} search={search} />}
        />
      )}
    </Popover>
  );

  function itemsOf(search: string): HitItem[] {
    const found = find(index, search, (family) => family.isKey || pinned.includes(family.name));
    const group = (title: string, hits: readonly SearchHit[]) =>
      hits.slice(0, EACH).map((hit): HitItem => ({
        id: idOf(hit),
        text: "",
        group: hits.length > EACH ? t`${title}, ${EACH} of ${grouped(hits.length)}` : title,
        hit,
      }));
    return [
      ...group(search.trim() === "" ? t("Pinned and key metrics") : t("Metrics"), found.families),
      ...group(t("Labels"), found.labels),
      ...group(t("Descriptions"), found.descriptions),
    ];
  }
}

function idOf(hit: SearchHit): string {
  return hit.kind === "label" ? JSON.stringify([hit.name, hit.value]) : `${hit.kind} ${hit.family.name}`;
}

function HitView({ hit, search }: { readonly hit: SearchHit; readonly search: string }) {
  if (hit.kind === "label") {
    const name = hit.value === undefined ? hit.name : `${hit.name}=${hit.value}`;
    return (
      <>
        <span class="option-text" title={name}>
          <TruncatedText text={name} />
        </span>
        <span class="option-value muted">
          {[
            hit.value === undefined ? plural(hit.values, t("value"), t("values")) : "",
            plural(hit.families.length, t("metric"), t("metrics")),
            plural(hit.seriesCount, t("series"), t("series")),
          ]
            .filter((part) => part !== "")
            .join(" · ")}
        </span>
      </>
    );
  }
  const { family } = hit;
  return (
    <FamilyOption family={family}>
      {hit.kind === "description" && <span class="option-excerpt muted">{excerpt(family.description, search)}</span>}
    </FamilyOption>
  );
}
