// The one way in: `npm run demo`, `npm test`, `npm run bench`, `npm run check` all start here, on whatever
// Node >= 18 the machine has and before anything is installed. It brings the npm packages of the lock file,
// the Debian packages that the task needs (as root only) and the FRR root folder, says what it does, and
// hands over to the Node that the lock file pins. The second time every step finds its work done.
//
// Nothing here may import a package: there may be none yet.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(fileURLToPath(import.meta.url));
const STAMP = join(ROOT, 'node_modules', '.cache', 'herald-install');
/** Node keeps compiled and type-stripped files here; it halves the start of everything below. */
const COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'node');
const PINNED_NODE = join(ROOT, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');

/** Debian package -> a file that is there once it is installed. */
const ROUTERS = {
  frr: '/usr/lib/frr/bgpd',
  bird2: '/usr/sbin/bird',
  iproute2: '/usr/sbin/ip',
  nftables: '/usr/sbin/nft',
  mmdebstrap: '/usr/bin/mmdebstrap',
  'util-linux': '/usr/bin/setpriv',
  curl: '/usr/bin/curl',
};
const MORE_ROUTERS = {
  ...ROUTERS,
  gobgpd: '/usr/bin/gobgpd',
  openbgpd: '/usr/sbin/bgpd',
  tcpdump: '/usr/bin/tcpdump',
};

/** For a real Kubernetes on this machine, and for the image that it runs. */
const CLUSTER = {
  ...MORE_ROUTERS,
  runc: '/usr/sbin/runc',
  'containernetworking-plugins': '/usr/lib/cni/ptp',
  'busybox-static': '/bin/busybox',
  openssl: '/usr/bin/openssl',
  conntrack: '/usr/sbin/conntrack',
  buildah: '/usr/bin/buildah',
};

const CHECKS = [
  ['format', ['node_modules/oxfmt/bin/oxfmt', '--check']],
  ['lint and dependency rules', ['node_modules/oxlint/bin/oxlint', '--deny-warnings']],
  ['types', ['node_modules/typescript/bin/tsc', '-b']],
  ['dead exports and unlisted dependencies', ['node_modules/knip/bin/knip.js']],
];

const TASKS = {
  test: {
    debian: CLUSTER,
    prepare: ['frr', 'cluster'],
    run: (args) => node(['node_modules/vitest/vitest.mjs', 'run', ...args]),
  },
  demo: { debian: ROUTERS, prepare: ['frr'], run: (args) => node(['test/demo/demo.ts', ...args]) },
  'demo --cluster': {
    debian: CLUSTER,
    prepare: ['frr', 'cluster'],
    run: (args) => node(['test/demo/cluster-demo.ts', ...args]),
  },
  bench: {
    debian: CLUSTER,
    prepare: ['frr', 'cluster'],
    run: (args) => node(['test/bench/bench.ts', ...args]),
  },
  failures: {
    debian: CLUSTER,
    prepare: ['frr', 'cluster'],
    run: (args) => node(['test/failures/failures.ts', ...args]),
  },
  soak: {
    debian: CLUSTER,
    prepare: ['frr', 'cluster'],
    run: (args) => node(['test/soak/soak.ts', ...args]),
  },
  cluster: {
    debian: CLUSTER,
    prepare: ['frr', 'cluster'],
    run: (args) => node(['test/support/cluster-command.ts', ...args]),
  },
  check: { debian: {}, prepare: [], run: () => check() },
  format: { debian: {}, prepare: [], run: () => node(['node_modules/oxfmt/bin/oxfmt']) },
  generate: { debian: {}, prepare: ['cluster'], run: () => generate() },
  herald: { debian: {}, prepare: [], run: (args) => node(['packages/controller/src/herald.ts', ...args]) },
};

function say(sentence) {
  process.stderr.write(`herald: ${sentence}\n`);
}

function fail(sentence) {
  say(sentence);
  process.exit(1);
}

/** Runs to the end with the terminal attached; the exit code, 1 where a signal ended it. */
function call(command, args, env = {}) {
  const result = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
  if (result.error) {
    fail(`${command} cannot be started: ${result.error.message}`);
  }
  return result.status ?? 1;
}

function node(args) {
  const path = `${dirname(PINNED_NODE)}:${process.env.PATH ?? ''}`;
  return call(PINNED_NODE, args, { PATH: path, NODE_NO_WARNINGS: '1', NODE_COMPILE_CACHE: COMPILE_CACHE });
}

function installNpmPackages() {
  const lock = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock && existsSync(PINNED_NODE)) {
    return;
  }
  say('installing the npm packages of package-lock.json (about 450 MB, a minute)');
  // The lock file is written by a newer Node than the machine may have; engine fields are checked for that one.
  if (call('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--engine-strict=false']) !== 0) {
    fail('npm ci failed; what it printed above says why');
  }
  if (!existsSync(PINNED_NODE)) {
    fail(`npm brought no Node for ${process.platform}-${process.arch}; Herald runs on Linux x64 and arm64`);
  }
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, lock);
}

function installDebianPackages(wanted) {
  const missing = Object.keys(wanted).filter((name) => !existsSync(wanted[name]));
  if (missing.length === 0) {
    return;
  }
  if (process.getuid() !== 0 || !existsSync('/usr/bin/apt-get')) {
    fail(`these Debian packages are missing: ${missing.join(' ')} (run as root to have them installed)`);
  }
  say(`installing Debian packages: ${missing.join(' ')}`);
  withoutStartingServices(() => {
    call('apt-get', ['update', '-qq']);
    const flags = ['install', '-y', '-qq', '--no-install-recommends', '-o', 'Dpkg::Use-Pty=0'];
    if (call('apt-get', [...flags, ...missing], { DEBIAN_FRONTEND: 'noninteractive' }) !== 0) {
      fail('apt-get install failed; what it printed above says why');
    }
  });
}

/** Debian starts a daemon when it is installed; a test machine must not become a router by that. */
function withoutStartingServices(install) {
  const policy = '/usr/sbin/policy-rc.d';
  const ours = !existsSync(policy);
  if (ours) {
    writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  }
  try {
    install();
  } finally {
    if (ours) {
      rmSync(policy);
    }
  }
}

function prepare(parts) {
  if (parts.length > 0 && node(['packages/lab/prepare.ts', ...parts]) !== 0) {
    fail('a part of the lab could not be made; what was printed above says why');
  }
}

function generate() {
  const scripts = ['packages/api/generate.ts', 'deploy/manifests/render.ts'];
  return Math.max(...scripts.map((script) => node([script])));
}

function check() {
  let worst = 0;
  for (const [name, args] of CHECKS) {
    const code = node(args);
    say(`${name}: ${code === 0 ? 'ok' : 'FAILED'}`);
    worst = Math.max(worst, code);
  }
  return worst;
}

function main([name, ...args]) {
  const task = TASKS[name === 'demo' && args.includes('--cluster') ? `${name} --cluster` : name];
  if (!task) {
    fail(`unknown task ${name ?? '(none)'}; there are: ${Object.keys(TASKS).join(', ')}`);
  }
  if (process.platform !== 'linux') {
    fail('Herald runs on Linux only');
  }
  installNpmPackages();
  installDebianPackages(task.debian);
  prepare(task.prepare);
  process.exit(task.run(args));
}

main(process.argv.slice(2));
