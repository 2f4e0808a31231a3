// What `@modelcontextprotocol/server` would have from its own `_shims`: there it brings ajv (215 kB) for what users fill
// in at a server's request, which gastop's tools never make.
export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('no JSON Schema validator is built in');
  }
}
