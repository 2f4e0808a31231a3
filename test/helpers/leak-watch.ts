import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Hex, parseTransaction } from 'viem';

const SLICE = 16;

/** Knows what of signed transactions and keys nobody may see, and looks for it in what programs wrote. */
export interface LeakWatch {
  /** The signature of a signed transaction, which is all that a reader of the chain does not know before it is sent. */
  watchSigned(signed: Hex): void;
  /** Any other digits that must appear nowhere. */
  watchDigits(digits: string): void;
  /** Slices of what is watched that stand in `written`, as digits or as bytes. */
  found(written: string | Uint8Array): string[];
  /** The same for every file below a folder but those of databases; answers each as `path: slice`. */
  foundBelow(folder: string): Promise<string[]>;
}

export function watchLeaks(): LeakWatch {
  const slices = new Set<string>();
  const watchDigits = (digits: string) => {
    const bare = digits.replace(/^0x/, '').toLowerCase();
    for (let from = 0; from + SLICE <= bare.length; from += 1) slices.add(bare.slice(from, from + SLICE));
  };
  const found = (written: string | Uint8Array): string[] => {
    const bytes = Buffer.from(written);
    // Control sequences and line ends may stand between the digits of one run.
    const bare = bytes
      .toString('utf8')
      .replaceAll(/\x1b\[[0-9;:?<=>]*[ -/]*[@-~]/g, '')
      .toLowerCase()
      .replaceAll(/[\s│]/g, '');
    const seen = new Set<string>();
    for (const text of [bare, bytes.toString('hex')]) {
      for (const [run] of text.matchAll(/[0-9a-f]{16,}/g)) {
        for (let from = 0; from + SLICE <= run.length; from += 1) {
          const slice = run.slice(from, from + SLICE);
          if (slices.has(slice)) seen.add(slice);
        }
      }
    }
    return [...seen];
  };
  return {
    watchDigits,
    found,
    watchSigned: (signed) => {
      const { r, s } = parseTransaction(signed);
      if (r === undefined || s === undefined) throw new Error('this transaction is not signed');
      watchDigits(r);
      watchDigits(s);
    },
    foundBelow: async (folder) => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && !/\.db(-wal|-shm)?$/.test(entry.name));
      const leaks = await Promise.all(
        files.map(async ({ parentPath, name }) => {
          const path = join(parentPath, name);
          return found(await readFile(path)).map((slice) => `${path}: ${slice}`);
        }),
      );
      return leaks.flat();
    },
  };
}
