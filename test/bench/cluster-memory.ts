// What a replica of Herald in a cluster holds of this machine's memory: read from the kernel, for the processes that the
// control groups of its containers have.

import {
  processesOf,
  proportionalBytes,
  workingSetBytes,
  type ContainerProcess,
} from '../support/container-processes.ts';
import { bgpdOf, controllerOf, type Replica } from '../support/herald-replicas.ts';
import { sum } from './figure.ts';

/** Mebibytes. */
export interface ReplicaMemory {
  /** What the kernel would not get back by dropping caches; shared pages count once. */
  readonly workingSet: number;
  /** What its processes have resident, a page that several of them have counted once. */
  readonly proportional: number;
  /** The same, but such a page counted for each: the program text of two Node.js processes twice. */
  readonly resident: number;
  /** Of that, what controller and bgpd have, without the program that stays beside bgpd. */
  readonly daemons: number;
}

const MEBIBYTE = 1024 * 1024;

export function memoryOf(replica: Replica): ReplicaMemory {
  const { initContainerStatuses = [], containerStatuses = [] } = replica.pod.status;
  const ids = [...initContainerStatuses, ...containerStatuses].flatMap(
    ({ containerID }) => containerID ?? [],
  );
  const containers = ids.map(processesOf);
  const workingSets = containers.flatMap(([first]) =>
    first === undefined ? [] : workingSetBytes(first.pid),
  );
  const processes = containers.flat();
  const daemons = [controllerOf(replica), bgpdOf(replica)];
  return {
    workingSet: sum(workingSets) / MEBIBYTE,
    proportional: sum(processes.map(({ pid }) => proportionalBytes(pid))) / MEBIBYTE,
    resident: sum(processes.map(residentBytes)) / MEBIBYTE,
    daemons: sum(daemons.map(residentBytes)) / MEBIBYTE,
  };
}

function residentBytes({ status }: ContainerProcess): number {
  return Number.parseInt(status['VmRSS'] ?? '0', 10) * 1024;
}
