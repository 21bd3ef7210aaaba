import { clientServer } from "../../core/client/index.js";
import type { MovesWith } from "../../core/insights/index.js";
import type { Problem } from "../../core/model/index.js";
import { storedTiles, type StoredRun } from "../../core/query/index.js";
import { convertArtifact, type OpenedStatistics } from "../../files/open/index.js";
import type {
  ClientServerRow,
  ExportOptions,
  OpenedFile,
  RunFindings,
  RunHeader,
  RunRequests,
} from "../../protocol/index.js";
import { storedAnswers } from "../answers.js";
import { clientServerRows } from "../client-server.js";
import { engineError } from "../described.js";
import { findingsOf, movesOf, type ChosenThresholds } from "../findings.js";
import { storedHeader } from "../header.js";
import { Subject, type ExportContext, type Exported, type SubjectTiles } from "./subject.js";

/** A JSON or CSV: statistics without the samples that they were computed from. */
export class StatisticsSubject extends Subject {
  readonly answers;
  readonly tiles: SubjectTiles;

  constructor(
    private readonly stored: StoredRun,
    private readonly opened: OpenedStatistics,
    private readonly problems: readonly Problem[],
    readonly file: OpenedFile,
  ) {
    super();
    this.answers = storedAnswers(stored);
    this.tiles = {
      latest: storedTiles(stored),
      readIfDue: () => Promise.resolve(),
      readNow: () => Promise.resolve(),
      stop: () => undefined,
    };
  }

  get inputConfig() {
    return this.opened.statistics.inputConfig;
  }

  protected describe(): RunHeader {
    return storedHeader(this.stored, this.problems, this.file);
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- what it throws is a rejection
  override async findings(thresholds: ChosenThresholds): Promise<RunFindings> {
    return findingsOf(this.opened.statistics, this.answers.origin, thresholds);
  }

  override clientServer(): Promise<readonly ClientServerRow[]> {
    return Promise.resolve(clientServerRows(clientServer(this.opened.statistics)));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- what it throws is a rejection
  override async movesWith(query: RunRequests["movesWith"]["params"]): Promise<MovesWith> {
    return movesOf(this.opened.statistics, this.answers.origin, query);
  }

  protected settled(): never {
    throw engineError(
      "no-samples",
      "this file holds statistics only, not the samples they were computed from",
      "Open the Parquet or JSONL file of the same run.",
    );
  }

  /** Stored statistics keep the slices that they have. */
  protected async write(
    { sliceDurationSeconds: _, ...options }: ExportOptions,
    { signal }: ExportContext,
  ): Promise<Exported> {
    return { files: await convertArtifact(this.opened, options, { signal }), losses: [] };
  }
}
