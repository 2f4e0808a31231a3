import { cpus, totalmem } from 'node:os';

/** What the figures were taken on, without its name: `Node 24.21.0, linux x64, 2 cores (…), 8 GB`. */
export function machineText(): string {
  const cores = cpus();
  const model = cores[0]?.model.trim().replace(/\s+/g, ' ') || 'processor unknown';
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cores.length} × ${model}, ${memory}`;
}
