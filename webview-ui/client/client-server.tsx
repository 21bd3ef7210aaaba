import { t } from "@vscode/l10n";
import { isClientFamily } from "../../src/core/catalog/servers/client.js";
import { clientServerCells } from "../../src/core/client/report.js";
import { PlainTable } from "../components/plain-table.js";
import { useAnswer, useView } from "../state/context.js";

const REFRESH_MS = 10_000;

/** What lies between a benchmark client and the servers; nothing without a client. */
export function ClientServerPanel() {
  const { run } = useView();
  const hasClient = run.families.value.some(({ name }) => isClientFamily(name));
  return hasClient ? <ClientServerTable /> : null;
}

function ClientServerTable() {
  const live = useAnswer("clientServer", {}, REFRESH_MS);
  const state = live.state.value;
  const rows = live.latest.value;
  if (state.kind === "failed" && rows === undefined)
    return (
      <p
        class="muted"
        role="status"
      >{t`The client's latencies cannot be compared with the servers': ${state.error.message}`}</p>
    );
  if (rows === undefined || rows.length === 0) return null;
  const notes = [...new Set(rows.flatMap(({ note }) => note ?? []))];
  return (
    <section class="side-note client-server" aria-label={t("Client minus server")}>
      <PlainTable
        label={t("Client minus server")}
        caption={t("Client minus server: network, gateway, tokenizer")}
        heads={[t("Metric"), t("Client"), t("Server"), t("Difference"), t("Share of the client's"), t("Class")]}
      >
        {rows.map((row) => {
          const { metric, client, server, difference, share, shareClass } = clientServerCells(row);
          return (
            <tr key={`${row.metric} ${row.server} ${row.clientUrl}`}>
              <th scope="row">{metric}</th>
              {[client, server, difference, share, shareClass].map((cell, i) => (
                <td key={i}>{cell}</td>
              ))}
            </tr>
          );
        })}
      </PlainTable>
      {notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
    </section>
  );
}
