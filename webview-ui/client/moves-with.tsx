import { t } from "@vscode/l10n";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../components/icon.js";
import { PlainTable } from "../components/plain-table.js";
import { useAnswer, useView } from "../state/context.js";

/** What moves with the family that was asked about, until it is closed. */
export function MovesWithPanel() {
  const { moves } = useView();
  const family = moves.value;
  return family === undefined ? null : <Moves key={family} family={family} onClose={() => (moves.value = undefined)} />;
}

function Moves({ family, onClose }: { readonly family: string; readonly onClose: () => void }) {
  const { layout } = useView();
  const query = useAnswer("movesWith", { family }, Infinity);
  const state = query.state.value;
  const known = query.latest.value;
  const box = useRef<HTMLElement>(null);
  // It was asked for far below.
  useEffect(() => box.current?.scrollIntoView({ block: "center" }), [known === undefined]);
  return (
    <section class="side-note" aria-label={t("What moves with this")} role="status" ref={box}>
      <button type="button" class="icon-button" aria-label={t("Close")} onClick={onClose}>
        <Icon name="close" />
      </button>
      {known === undefined ? (
        <p class="muted">
          {state.kind === "failed" ? `${state.error.message}.` : t("Looking for what moves with it…")}
        </p>
      ) : known.note !== undefined || known.movers.length === 0 ? (
        <p>{known.note ?? t`None of the ${known.tested} metrics tested moves with ${known.title}.`}</p>
      ) : (
        <PlainTable
          label={t`What moves with ${known.title}`}
          caption={t`Moves with ${known.title}, slice by slice (correlation, not cause)`}
          heads={[t("Metric"), t("Correlation"), t("Lag"), "q"]}
        >
          {known.movers.slice(0, 10).map(({ family: name, title, correlation, lagSeconds, q }) => (
            <tr key={name}>
              <th scope="row">
                <button type="button" class="link" title={name} onClick={() => layout.show(name)}>
                  {title}
                </button>
              </th>
              <td>{correlation.toFixed(2)}</td>
              <td>
                {lagSeconds === 0
                  ? t("none")
                  : `${Math.abs(lagSeconds).toFixed(1)} s ${lagSeconds > 0 ? t("later") : t("earlier")}`}
              </td>
              <td>{q < 0.001 ? "< 0.001" : q.toFixed(3)}</td>
            </tr>
          ))}
        </PlainTable>
      )}
    </section>
  );
}
