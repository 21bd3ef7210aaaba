/** The colour of a compared run, by its position: the baseline is 0. */
export function RunSwatch({ position }: { readonly position: number }) {
  return <span class={`run-swatch run-color-${position}`} aria-hidden="true" />;
}
