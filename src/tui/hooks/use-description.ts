import { useQuery } from '@tanstack/react-query';
import type { ServiceDescription } from '../../client/openapi.ts';
import { useMonitor } from './use-monitor.ts';

/** What the service says about itself; `undefined`: not known yet, `null`: it has no description. */
export function useDescription(enabled = true): ServiceDescription | null | undefined {
  const { client, isOwnService = false } = useMonitor();
  const { data } = useQuery({
    queryKey: ['description'],
    // Of the contract itself there is nothing to learn.
    enabled: enabled && !isOwnService,
    queryFn: ({ signal }) => client.description({ signal }),
    // Asked once a session; nothing depends on it, so a failure is not tried again by itself.
    staleTime: Number.POSITIVE_INFINITY,
    retryOnMount: false,
  });
  return data;
}
