import { isIPv6, type Socket } from 'node:net';

/**
 * The open connections. At `most` of them those of the address that has the most give way: so one address takes all that
 * others leave, as a proxy has to, and never their share. `onFull` is called each time.
 */
export function createConnections(most: number, onFull: () => void) {
  const open = new Map<Socket, { readonly network: string; requests: number }>();
  /** Those whose last request is the longest ago come first. */
  const networks = new Map<string, Set<Socket>>();

  function leave(socket: Socket, network: string): void {
    open.delete(socket);
    const its = networks.get(network);
    its?.delete(socket);
    if (its?.size === 0) networks.delete(network);
  }

  /** The next to give way to `newest`: one without a request, else the last one. */
  function leastOf(busiest: ReadonlySet<Socket>, newest: Socket): Socket {
    let last = newest;
    for (const socket of busiest) {
      if (open.get(socket)?.requests === 0 && socket !== newest) return socket;
      last = socket;
    }
    return last;
  }

  return {
    get size(): number {
      return open.size;
    },
    all: () => open.keys(),
    /** Requests that are being answered. */
    inProgress: (socket: Socket): number => open.get(socket)?.requests ?? 0,

    add(socket: Socket): void {
      const network = networkOf(socket.remoteAddress ?? '');
      const its = networks.get(network) ?? new Set();
      open.set(socket, { network, requests: 0 });
      networks.set(network, its.add(socket));
      socket.once('close', () => leave(socket, network));
      if (open.size <= most) return;
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
      const its = open.get(socket);
      if (its !== undefined) its.requests += 1;
    },

    end(socket: Socket): void {
      const its = open.get(socket);
      if (its === undefined) return;
      its.requests -= 1;
      const sockets = networks.get(its.network);
      if (sockets?.delete(socket)) sockets.add(socket);
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
