/**
 * Says in sentences what this machine lacks for a cluster, beyond what the lab needs itself.
 *
 * Looks only. An empty answer means that a cluster can be built and started.
 */
import { existsSync, readFileSync } from 'node:fs';
import { freezerMount, parseCgroupMounts } from '../cgroup.ts';
import { missingPrerequisites } from '../prerequisites.ts';
import { missingGo } from './go-binaries.ts';
import { STATIC_BUSYBOX } from './lab-images.ts';

/** Debian package -> a file of it, and what it is for. */
export const CLUSTER_PACKAGES: Readonly<Record<string, readonly [file: string, purpose: string]>> = {
  runc: ['/usr/sbin/runc', 'running containers'],
  'containernetworking-plugins': ['/usr/lib/cni/ptp', "the pods' network"],
  'busybox-static': [STATIC_BUSYBOX, "the lab's own images"],
  openssl: ['/usr/bin/openssl', "the cluster's certificates"],
  conntrack: ['/usr/sbin/conntrack', 'kube-proxy'],
};

export function missingClusterPrerequisites(): string[] {
  const packages = Object.entries(CLUSTER_PACKAGES).flatMap(([name, [file, purpose]]) =>
    existsSync(file) ? [] : [`${file} is missing; it is needed for ${purpose} (Debian package ${name}).`],
  );
  return [...missingPrerequisites(), ...packages, ...missingCgroups(), ...missingGo()];
}

function missingCgroups(): string[] {
  const mounts = parseCgroupMounts(readFileSync('/proc/self/mountinfo', 'utf8'));
  return freezerMount(mounts) === undefined ? ['No control groups are mounted here.'] : [];
}
