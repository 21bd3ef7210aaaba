/** Questions that one store is asked at the same time. */
const AT_ONCE = 4;

/**
 * Works a queue off, several of it at once; work may put more in front of it. When one fails, those that have not begun
 * are left.
 * @throws what the first failing work throws
 */
export async function eachAtOnce<T>(queue: T[], work: (item: T) => Promise<void>): Promise<void> {
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  } finally {
    queue.length = 0;
  }
}
