import { setFlagsFromString } from 'node:v8';

/**
 * For what lies in a pane for weeks. V8 lets garbage gather to several times what is in use and keeps the pages; told to
 * be small, it collects once a third of that has gathered, and gives young objects a megabyte. Maglev, its compiler in
 * the middle, saves no time that could be measured here, and what it compiles takes 7 MB.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--optimize-for-size');
  setFlagsFromString('--no-maglev');
}
