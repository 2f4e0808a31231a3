/** Writes the home folder as `~`, the way people do. */
export function tildePath(path: string, home: string): string {
  const rest = home !== '' && path.startsWith(home) ? path.slice(home.length) : null;
  return rest !== null && /^[/\\]/.test(rest) ? `~${rest}` : path;
}
