import { isIPv6, type Socket } from 'node:net';

/**
 * The open connections. At `most` of them those of the address that has the most give way: so one address takes all that
 * others leave, as a proxy has to, and never their share. `onFull` is called each time.
 */
export function createConnections(most: number, onFull: () => void) {
  /** With the number of requests in progress on each. */
  const requests = new Map<Socket, number>();
  /** Those whose last request is the longest ago come first. */
  const networks = new Map<string, Set<Socket>>();

  function leave(socket: Socket, network: string): void {
    requests.delete(socket);
    const its = networks.get(network);
    its?.delete(socket);
    if (its?.size === 0) networks.delete(network);
  }

  /** The next to give way to `newest`: one without a request, else the last one. */
  function leastOf(busiest: ReadonlySet<Socket>, newest: Socket): Socket {
    let last = newest;
    for (const socket of busiest) {
      if (requests.get(socket) === 0 && socket !== newest) return socket;
      last = socket;
    }
    return last;
  }

  return {
    get size(): number {
      return requests.size;
    },
    all: () => requests.keys(),
    inProgress: (socket: Socket): number => requests.get(socket) ?? 0,

    add(socket: Socket): void {
      const network = networkOf(socket.remoteAddress ?? '');
      const its = networks.get(network) ?? new Set();
      requests.set(socket, 0);
      networks.set(network, its.add(socket));
      socket.once('close', () => leave(socket, network));
      if (requests.size <= most) return;
      onFull();
      let [busiest, of] = [its, network];
      for (const [each, sockets] of networks)
        if (sockets.size > busiest.size) [busiest, of] = [sockets, each];
      const least = leastOf(busiest, socket);
      // `close` comes later.
      leave(least, of);
      least.destroy();
    },

    begin(socket: Socket): void {
      requests.set(socket, (requests.get(socket) ?? 0) + 1);
    },

    end(socket: Socket): void {
      const before = requests.get(socket);
      if (before === undefined) return;
      requests.set(socket, before - 1);
      const its = networks.get(networkOf(socket.remoteAddress ?? ''));
      if (its?.delete(socket)) its.add(socket);
    },
  };
}

/** What limits by address count as one: an owner of one IPv6 address has its /64 as well. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [front = '', back] = address.split('::');
  const groups = front === '' ? [] : front.split(':');
  const missing = back === undefined ? 0 : 8 - groups.length - (back === '' ? 0 : back.split(':').length);
  return [...groups, ...Array(missing).fill('0'), ...(back?.split(':') ?? [])].slice(0, 4).join(':');
}
