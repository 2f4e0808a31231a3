/** Whether an `Accept-Encoding` header wants gzip (RFC 9110, 12.5.3). */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  let byName: boolean | null = null;
  let byStar = false;
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((word) => word.trim());
    const wanted = parameters.every((parameter) => !/^q=0(\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') byName = wanted;
    if (coding === '*') byStar = wanted;
  }
  return byName ?? byStar;
}

/** Whether an `If-None-Match` header names `tag`; compared weakly, as it must be (RFC 9110, 13.1.2). */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  return Array.from(header.matchAll(/"[\x21\x23-\x7e\x80-\xff]*"/g), ([found]) => found).includes(
    opaque(tag),
  );
}

const opaque = (tag: string) => tag.replace(/^W\//, '');
