/** Questions that one store is asked at the same time. */
const AT_ONCE = 4;

/**
 * Works a queue off, several of it at once; work may put more in front of it. When one fails, those that have not begun
 * are left.
 * @throws what the first failing work throws
 */
export async function eachAtOnce<T>(queue: T[], work: (item: T) => Promise<void>): Promise<void> {
  let active = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      const next = () => {
        for (; active < AT_ONCE; active++) {
          const item = queue.shift();
          if (item === undefined) break;
          work(item).then(() => {
            active--;
            next();
          }, reject);
        }
        if (active === 0) resolve();
      };
      next();
    });
  } finally {
    queue.length = 0;
  }
}
