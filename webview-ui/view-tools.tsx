import { t } from "@vscode/l10n";
import { IconButton } from "./components/button.js";
import { Select } from "./components/select.js";
import { kindsOf } from "./dashboards/kinds.js";
import { endpointNames } from "./format/text.js";
import { MOST_NARROWED } from "../src/protocol/index.js";
import { isReport } from "./report/opened.js";
import { useView } from "./state/context.js";

const ALL = "";

/** Back from a chart that was jumped to, and what narrows every tab: endpoints, and words. */
export function ViewTools() {
  const { run, layout, back } = useView();
  const { filter, only = ALL } = layout.layout.value;
  const endpoints = run.header.value?.endpoints ?? [];
  const name = endpointNames(
    endpoints.map(({ url }) => url),
    endpoints,
  );
  const kinds = kindsOf(endpoints, run.tiles.value).filter((server) => server !== "");
  return (
    <>
      {back.possible.value && <IconButton icon="arrow-left" label={t("Back (Alt+Left)")} onClick={back.go} />}
      {endpoints.length > 1 && (!isReport || endpoints.length <= MOST_NARROWED) && (
        <Select
          label={t("Endpoints shown")}
          value={only}
          options={[
            { value: ALL, text: t`All ${endpoints.length} endpoints` },
            ...(kinds.length > 1 ? kinds.map((server) => ({ value: server, text: t`All ${server}` })) : []),
            ...endpoints.map(({ url }) => ({ value: url, text: name(url) })),
          ]}
          onSelect={(value) => layout.dispatch({ kind: "set", change: { only: value === ALL ? undefined : value } })}
        />
      )}
      <input
        class="input view-filter"
        type="search"
        aria-label={t("Filter metrics and rows")}
        placeholder={t("Filter, or label=value")}
        value={filter}
        onInput={(event) => layout.dispatch({ kind: "set", change: { filter: event.currentTarget.value } })}
      />
    </>
  );
}
