/* AbortSignal exists in node and in the DOM alike; the protocol belongs to both. */
interface AbortSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
interface AbortController {
  readonly signal: AbortSignal;
  abort(): void;
}
declare var AbortController: { prototype: AbortController; new (): AbortController };
