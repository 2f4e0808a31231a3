const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|\[::1\]|(?:.+\.)?localhost\.?)$/i;

/** Whether a host, bare or as in a URL, is this machine (RFC 6761): nobody else can read what is sent to it. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);
