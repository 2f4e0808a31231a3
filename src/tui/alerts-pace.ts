import type { AlertView } from '../client/views/alerts.ts';
import { type ListPaceOptions, listPaceMs } from './list-pace.ts';

interface AlertsPaceOptions extends Omit<ListPaceOptions, 'isAwaited'> {
  /** `null`: not known yet. */
  readonly alerts: readonly AlertView[] | null;
}

/** How long to wait before the alerts are listed again, ms: what this terminal announces decides. */
export function alertsPaceMs({ alerts, ...options }: AlertsPaceOptions): number {
  const isAwaited =
    alerts?.some(({ channels, status }) => channels.includes('TERMINAL') && status !== 'DISABLED') ?? false;
  return listPaceMs({ ...options, isAwaited });
}
