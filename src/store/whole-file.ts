import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../core/system-code.ts';

/** Where a file is written before it takes its place. */
export const temporaryPath = (path: string): string =>
  `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;

/** Makes a new file, whole and durable or not at all. Fails with `EEXIST` for one that is there, which stays as it is. */
export function makeWhole(path: string, text: string, mode = 0o600): void {
  const draft = temporaryPath(path);
  try {
    writeFileSync(draft, text, { flag: 'wx', mode, flush: true });
    publish(draft, path);
    syncFolder(dirname(path));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Gives a draft its place. Fails with `EEXIST` where another file is. */
export function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    // File systems without links, such as FAT.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes(systemCode(error)) || existsSync(path)) throw error;
    renameSync(draft, path);
  }
}

function syncFolder(path: string): void {
  // Windows opens no folder.
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
