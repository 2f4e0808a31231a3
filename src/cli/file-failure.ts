/** Why a file cannot be written and what to do, to follow its name. */
export function fileFailureReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: Readonly<Record<string, string>> = {
    EEXIST: 'exists already; choose another name, or replace it with --force',
    ENOENT: 'cannot be made: its folder does not exist',
    ENOTDIR: 'cannot be made: its folder is a file',
    EISDIR: 'is a folder; name a file',
    EACCES: 'may not be written; check the rights on it and its folder',
    EPERM: 'may not be written; check the rights on it and its folder',
    EROFS: 'lies on a read-only disk; choose another place',
    ENOSPC: 'cannot grow: the disk is full',
    EPIPE: 'has nobody who reads it any more',
    ENAMETOOLONG: 'has too long a name',
  };
  return reasons[code] ?? `cannot be written (${code || 'unknown reason'})`;
}
