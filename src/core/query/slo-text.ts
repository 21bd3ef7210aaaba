/** "98.1 %"; never rounded up to all of them. */
export function shareText(share: number): string {
  if (Number.isNaN(share)) return "-";
  const rounded = Number((100 * share).toFixed(1));
  return rounded === 100 && share < 1 ? "> 99.9 %" : `${rounded} %`;
}
