/**
 * Says in sentences what this machine lacks for the lab, one sentence a fault, with the Debian package that has it.
 *
 * Looks only: nothing is installed or changed (one namespace is made and removed to see whether that is allowed).
 */
import { existsSync } from 'node:fs';
import { runSync } from './command.ts';
import { frrRootPath, hasDebianMirror } from './frr-root.ts';

export type Daemon = 'frr' | 'bird' | 'gobgp' | 'openbgpd';

interface NeededProgram {
  readonly program: string;
  readonly package: string;
  readonly purpose: string;
}

const BASICS: readonly NeededProgram[] = [
  { program: 'ip', package: 'iproute2', purpose: 'namespaces, links and routes' },
  { program: 'nsenter', package: 'util-linux', purpose: 'entering namespaces' },
  { program: 'unshare', package: 'util-linux', purpose: 'file systems of their own for pods' },
  { program: 'setpriv', package: 'util-linux', purpose: 'taking rights away from pods' },
  { program: 'nft', package: 'nftables', purpose: 'masquerading pods behind their node' },
  { program: 'curl', package: 'curl', purpose: 'asking programs in a pod by HTTP' },
  { program: 'tcpdump', package: 'tcpdump', purpose: 'seeing BGP messages on the wire' },
];

const DAEMONS: Readonly<Record<Daemon, readonly NeededProgram[]>> = {
  frr: [
    { program: '/usr/lib/frr/zebra', package: 'frr', purpose: 'routers of kind FRR' },
    { program: 'vtysh', package: 'frr', purpose: 'configuring FRR' },
  ],
  bird: [{ program: 'bird', package: 'bird2', purpose: 'routers of kind BIRD' }],
  gobgp: [{ program: 'gobgpd', package: 'gobgpd', purpose: 'routers of kind GoBGP' }],
  openbgpd: [{ program: 'bgpctl', package: 'openbgpd', purpose: 'routers of kind OpenBGPD' }],
};

const SEARCH_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

export function missingPrerequisites(daemons: readonly Daemon[] = ['frr', 'bird']): string[] {
  if (process.platform !== 'linux') return ['The lab needs Linux: it is made of network namespaces.'];
  return [
    ...missingRights(),
    ...BASICS.flatMap(missingProgram),
    ...daemons.flatMap((daemon) => DAEMONS[daemon].flatMap(missingProgram)),
    ...missingFrrRoot(),
  ];
}

function missingRights(): string[] {
  if (process.getuid?.() !== 0) return ['The lab must be run as root: it makes network namespaces.'];
  const allowed = runSync(['unshare', '--net', '--mount', 'true']).ok;
  return allowed
    ? []
    : ['Making network and mount namespaces is not allowed here (container without CAP_SYS_ADMIN?).'];
}

function missingProgram(needed: NeededProgram): string[] {
  if (isInstalled(needed.program)) return [];
  return [
    `${needed.program} is missing; it is needed for ${needed.purpose} (Debian package ${needed.package}).`,
  ];
}

function isInstalled(program: string): boolean {
  if (program.startsWith('/')) return existsSync(program);
  return SEARCH_PATH.some((folder) => existsSync(`${folder}/${program}`));
}

function missingFrrRoot(): string[] {
  if (frrRootPath() === '/' || existsSync(frrRootPath())) return [];
  const missing = missingProgram({
    program: 'mmdebstrap',
    package: 'mmdebstrap',
    purpose: "the pods' FRR 10.3, because this machine's FRR is older than 9.1",
  });
  const mirror = hasDebianMirror()
    ? []
    : ["No Debian mirror in this machine's apt configuration; one is needed for the pods' FRR 10.3."];
  return [...missing, ...mirror];
}
