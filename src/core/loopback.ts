const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|\[::1\]|(?:.+\.)?localhost\.?)$/i;

/** Whether a host, bare or as in a URL, is this machine, by RFC 6761: what is sent to it stays here. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);
