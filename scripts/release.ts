/**
 * Makes a release of this working tree: `npm run release 1.2.0`. Sets the version, dates the CHANGELOG, writes the
 * documents, runs all tests, packs, commits and tags. It pushes and publishes nothing; a failure leaves the tree changed
 * and uncommitted.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const VERSION = /^\d+\.\d+\.\d+(?:-[0-9a-z.]+)?$/;

/** The CHANGELOG with the day of this release in place of `unreleased`. @throws Error when there is nothing to release. */
export function datedChangelog(changelog: string, version: string, day: string): string {
  const [heading] = /^## \S+ – unreleased$/m.exec(changelog) ?? [];
  if (heading === undefined) throw new Error('CHANGELOG.md has no heading "## VERSION – unreleased"');
  if (changelog.includes(`\n## ${version} – `) && !heading.startsWith(`## ${version} `))
    throw new Error(`CHANGELOG.md has ${version} already`);
  return changelog.replace(heading, `## ${version} – ${day}`);
}

/** Why this version cannot be released; `null`: it can. */
export function releaseProblem(version: string | undefined, status: string): string | null {
  if (version === undefined || !VERSION.test(version))
    return 'name the version, such as npm run release 1.2.0';
  return status.trim() === '' ? null : 'commit or put away what is changed first';
}

function release(version: string): void {
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'inherit' });
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync('CHANGELOG.md', datedChangelog(readFileSync('CHANGELOG.md', 'utf8'), version, day));
  run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
  run('npm', 'run', 'docs');
  run('npm', 'test');
  run('npm', 'pack');
  run('git', 'commit', '--all', '--message', `Release ${version}`);
  run('git', 'tag', '--annotate', `v${version}`, '--message', `gastop ${version}`);
  console.log(
    `\nv${version} is committed and tagged. Now push it with its tag, and publish the packed file.`,
  );
}

if (import.meta.main) {
  const [version] = process.argv.slice(2);
  const status = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
  const problem = releaseProblem(version, status);
  if (problem === null && version !== undefined) release(version);
  else {
    console.error(`release: ${problem}`);
    process.exitCode = 1;
  }
}
