import { createGasClient } from '../../src/client/client.ts';
import type { RunningService } from '../helpers/service.ts';

/** A client of a service in this process, and the paths that it has asked for by requests, in order. */
export function askedClient(service: RunningService) {
  const asked: string[] = [];
  const client = createGasClient({
    url: 'http://gastop.internal',
    fetch: (request) => {
      asked.push(new URL(request.url).pathname);
      return service.fetch(request);
    },
  });
  return { client, asked };
}
