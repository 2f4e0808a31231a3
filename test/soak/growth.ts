import type { Holding } from './watched-program.ts';

/** How much more of each may be there later. */
export interface Allowance {
  readonly liveBytes: number;
  readonly residentBytes: number;
  /** Of one kind: what is under way at the moment of looking is there or not. */
  readonly resources: number;
  readonly descriptors: number;
}

/** What has grown beyond its allowance, in words; empty: nothing. */
export function growthBetween(early: Holding, late: Holding, allowed: Allowance): string[] {
  const said: string[] = [];
  const more = { live: late.live - early.live, resident: late.resident - early.resident };
  if (more.live > allowed.liveBytes) said.push(`${megabytes(more.live)} MB more are in use`);
  if (more.resident > allowed.residentBytes) said.push(`${megabytes(more.resident)} MB more are resident`);
  for (const [kind, count] of Object.entries(late.resources)) {
    const before = early.resources[kind] ?? 0;
    if (count > before + allowed.resources) said.push(`${count} ${kind} instead of ${before}`);
  }
  for (const [whose, count] of Object.entries(late.listeners)) {
    const before = early.listeners[whose] ?? 0;
    if (count > before) said.push(`${count} listeners of ${whose} instead of ${before}`);
  }
  if (late.descriptors > early.descriptors + allowed.descriptors) {
    said.push(`${late.descriptors} file descriptors instead of ${early.descriptors}`);
  }
  return said;
}

/** One line for people. */
export function holdingText({ resident, live, resources, listeners, descriptors }: Holding): string {
  const kinds = Object.entries(resources).map(([kind, count]) => `${count} ${kind}`);
  const listening = Object.values(listeners).reduce((sum, count) => sum + count, 0);
  return [
    `resident ${megabytes(resident)} MB`,
    `live ${megabytes(live)} MB`,
    `${descriptors} descriptors`,
    `${listening} listeners`,
    kinds.join(', '),
  ].join(' · ');
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);
