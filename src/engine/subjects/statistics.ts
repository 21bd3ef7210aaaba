import { clientServer } from "../../core/client/index.js";
import { withFineSlices, type MovesWith } from "../../core/insights/index.js";
import { toOffset, type Problem } from "../../core/model/index.js";
import { PROFILING } from "../../core/window/index.js";
import { keyTiles, StoredRun } from "../../core/query/index.js";
import { convertArtifact, type OpenedStatistics, type StoredPhase } from "../../files/open/index.js";
import type {
  ClientServerRow,
  ExportOptions,
  OpenedFile,
  RunFindings,
  RunHeader,
  RunAdjustment,
  RunRequests,
} from "../../protocol/index.js";
import { runAnswers, type Answers } from "../answers.js";
import { clientServerRows } from "../client-server.js";
import { findingSteps, movesOf } from "../findings.js";
import { runInIdleTime } from "../stepper.js";
import { storedHeader } from "../header.js";
import { LiveTiles } from "../capture/live-tiles.js";
import { noSamples, Subject, type ExportMonitor, type Exported } from "./subject.js";

/** A JSON or CSV: statistics without the samples that they were computed from. */
export class StatisticsSubject extends Subject {
  private shown: Shown;

  constructor(
    private readonly opened: OpenedStatistics,
    private readonly problems: readonly Problem[],
    readonly file: OpenedFile,
    /** What the file is opened with: profiling as a whole. */
    protected override readonly run = new StoredRun(opened.statistics),
  ) {
    super(run);
    this.shown = shownOf(run);
  }

  get answers() {
    return this.shown.answers;
  }

  get tiles(): LiveTiles {
    return this.shown.tiles;
  }

  /** Of a phase the same: its window is one of the run's. */
  protected describe(): RunHeader {
    const phases = this.phases();
    const { phase } = this.shown;
    return {
      ...storedHeader(this.run, this.problems, this.file),
      ...(phases.length === 0
        ? {}
        : { phases: phases.map((one) => ({ name: one.name, kind: one.kind, ...this.windowOf(one) })) }),
      ...(phase === undefined ? {} : { window: this.windowOf(phase) }),
    };
  }

  /** Shows one of the phases that the file holds. @throws UserError for any other window, and for slices */
  override adjust(adjustment: RunAdjustment): void {
    const { window, ...others } = adjustment;
    if (window === undefined || Object.keys(others).length > 0) throw noSamples();
    if (window === "recorded") {
      this.shown = shownOf(this.run);
      return;
    }
    const phase = this.phases().find((one) => {
      const { start, end } = this.windowOf(one);
      return start === window.start && end === window.end;
    });
    if (phase === undefined) throw noSamples();
    this.shown = shownOf(new StoredRun(phase.statistics, this.run), phase);
  }

  override findings(query: RunRequests["findings"]["params"], signal: AbortSignal): Promise<RunFindings> {
    return runInIdleTime(
      findingSteps(withFineSlices(this.shown.stored.statistics), this.answers.origin, query),
      signal,
    );
  }

  override clientServer(): Promise<readonly ClientServerRow[]> {
    return Promise.resolve(clientServerRows(clientServer(this.shown.stored.statistics)));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- what it throws is a rejection
  override async movesWith(query: RunRequests["movesWith"]["params"]): Promise<MovesWith> {
    return movesOf(this.shown.stored.statistics, this.answers.origin, query);
  }

  /** Stored statistics keep the slices that they have. */
  protected override async write(
    { sliceDurationSeconds: _, ...options }: ExportOptions,
    { signal }: ExportMonitor,
  ): Promise<Exported> {
    return { files: await convertArtifact(this.opened, options, { signal }), losses: [] };
  }

  /** Profiling without a name is what the file is opened with; a phase without statistics cannot be shown. */
  private phases(): readonly StoredPhase[] {
    return this.opened.phases.filter(
      ({ name, start, end, statistics }) => end > start && name !== PROFILING && statistics.families.length > 0,
    );
  }

  private windowOf({ start, end }: StoredPhase) {
    return { start: toOffset(start, this.run.origin), end: toOffset(end, this.run.origin) };
  }
}

/** What is shown: all of profiling, or a phase. */
interface Shown {
  readonly stored: StoredRun;
  readonly answers: Answers;
  readonly tiles: LiveTiles;
  readonly phase?: StoredPhase;
}

function shownOf(stored: StoredRun, phase?: StoredPhase): Shown {
  const tiles = keyTiles(stored);
  return {
    stored,
    answers: runAnswers(stored),
    tiles: new LiveTiles(() => Promise.resolve(tiles), tiles),
    ...(phase === undefined ? {} : { phase }),
  };
}
