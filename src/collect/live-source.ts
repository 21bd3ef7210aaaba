import type { EndpointSource } from "../core/model/index.js";
import { IterationStatistics, NoStatisticsError } from "./iteration-statistics.js";
import { notIterationStatisticsFailure } from "./not-prometheus.js";
import { TextSource, type Body, type BodyRead, type LiveSourceOptions } from "./text-source.js";

/**
 * TensorRT-LLM's iteration statistics, turned into the text format. Each reading takes them away from all other
 * readers.
 */
class IterationStatisticsSource extends TextSource {
  protected override readonly json = true;
  private readonly statistics = new IterationStatistics();

  protected override samplesOf({ body }: Body, url: string): BodyRead {
    try {
      const text = this.statistics.translate(body);
      return super.samplesOf({ body: Buffer.from(text), contentType: "text/plain" }, url);
    } catch (error) {
      if (!(error instanceof NoStatisticsError)) throw error;
      return { kind: "foreign", failure: notIterationStatisticsFailure(url, error.message) };
    }
  }
}

/** The source of one endpoint of a capture. */
export function liveSource(kind: EndpointSource = "prometheus", options: LiveSourceOptions): TextSource {
  switch (kind) {
    case "prometheus":
      return new TextSource(options);
    case "iteration-statistics":
      return new IterationStatisticsSource(options);
  }
}
