// Short forms of figures for people.

/** 950, 12.3k, 1.2M. */
export function formatCount(n: number): string {
  if (n < 1000) {
    return String(n);
  }
  const [value, unit] = n < 999_950 ? [n / 1000, "k"] : [n / 1e6, "M"];
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}

/** Of US dollars. */
export function formatCost(dollars: number): string {
  return `$${dollars < 0.01 && dollars > 0 ? dollars.toFixed(4) : dollars.toFixed(2)}`;
}

/** 0.4s, 12s, 3m 20s, 2h 5m; of nanoseconds, as in records. */
export function formatDuration(nanoseconds: number): string {
  const s = nanoseconds / 1e9;
  if (s < 10) {
    return `${s.toFixed(1)}s`;
  }
  if (s < 60) {
    return `${Math.round(s)}s`;
  }
  const minutes = Math.floor(s / 60);
  return minutes < 60 ? `${minutes}m ${Math.floor(s % 60)}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** How long ago a time of the protocol was: now, 5m, 3h, 2d, or the date. */
export function formatAge(time: string, now = Date.now()): string {
  const minutes = Math.max(0, Math.floor((now - Date.parse(time)) / 60_000));
  if (minutes < 1) {
    return "now";
  }
  if (minutes < 60) {
    return `${minutes}m`;
  }
  if (minutes < 24 * 60) {
    return `${Math.floor(minutes / 60)}h`;
  }
  return minutes < 30 * 24 * 60 ? `${Math.floor(minutes / (24 * 60))}d` : time.slice(0, 10);
}

/** 512 B, 1.2 kB, 3.4 MB. */
export function formatBytes(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
