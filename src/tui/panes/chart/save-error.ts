/** Why a file could not be saved, and what to do about it. */
export function saveErrorText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'Not saved: the current folder is read-only; start gastop in one you can write to';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Not saved: the disk is full';
    case 'ENOENT':
      return 'Not saved: the current folder is gone; start gastop in another';
    default:
      return `Not saved: ${error instanceof Error ? error.message : String(error)}`.replaceAll('\n', ' ');
  }
}
