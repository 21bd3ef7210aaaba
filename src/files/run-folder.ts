/** Characters no file system takes in a name, white space, and what nobody sees. */
const UNSAFE = /[<>:"/\\|?*\s\p{Cc}\p{DI}]+/gu;

/** `2025-11-21_07-15-30[-label]` in local time: sorts by date, and is a valid name on every file system. */
export function runFolderName(startedAt: Date, label: string | undefined): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${startedAt.getFullYear()}-${two(startedAt.getMonth() + 1)}-${two(startedAt.getDate())}`;
  const time = `${two(startedAt.getHours())}-${two(startedAt.getMinutes())}-${two(startedAt.getSeconds())}`;
  const safe = (label ?? "")
    .replace(UNSAFE, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, 60);
  return safe === "" ? `${date}_${time}` : `${date}_${time}-${safe}`;
}
