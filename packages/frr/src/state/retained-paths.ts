// What bgpd holds of one prefix, in the words of a decision: an entry of `show bgp ... unicast detail json` -> paths
// with the attributes that were decided, not those that travelled on the feed (see plan/dressing.ts). Equal paths
// are one object, since a table has few different ones.
//
// A prefix of which anything cannot be read is none: half of its paths would be another content.

import type { RetainedPath } from '@herald/decision';
import { isLarge, isStandard, parseCommunity, pathAttributes } from '@herald/net';
import type { Community, LinkBandwidth, PathAttributes } from '@herald/net';
import { decidedAttributes } from '../plan/dressing.ts';
import { arrayField, asObject, numberField, objectField, textField } from './json-fields.ts';
import type { JsonObject } from './json-fields.ts';
import { nextHopOf } from './parse-routes.ts';

/** bgpd's words for the transitive link-bandwidth community: AS number and bytes per second. */
const LINK_BANDWIDTH = /\bLB:(\d+):(\d+)/;

export class RetainedPaths {
  readonly #attributes = new Map<string, PathAttributes | undefined>();
  readonly #paths = new Map<string, RetainedPath>();

  /** undefined where something cannot be read. */
  of(entry: unknown): readonly RetainedPath[] | undefined {
    const paths = Array.isArray(entry) ? entry.map((path) => this.#path(asObject(path))) : [];
    const known = paths.filter((path) => path !== undefined);
    return known.length === paths.length && known.length > 0 ? known : undefined;
  }

  #path(path: JsonObject): RetainedPath | undefined {
    const attributes = this.#attributesOf(path);
    const nextHop = nextHopOf(path);
    if (attributes === undefined || nextHop === '') {
      return undefined;
    }
    const pathId = numberField(path, 'addpathRxId');
    const key = `${nextHop} ${pathId ?? ''} ${attributes.key}`;
    const known = this.#paths.get(key) ?? retainedPath(nextHop, attributes, pathId);
    this.#paths.set(key, known);
    return known;
  }

  #attributesOf(path: JsonObject): PathAttributes | undefined {
    const text = (name: string): string => textField(objectField(path, name), 'string') ?? '';
    const med = numberField(path, 'metric');
    const localPref = numberField(path, 'locPrf');
    const communities = ['community', 'largeCommunity', 'extendedCommunity'].map(text);
    const key = [med, localPref, ...communities].join('|');
    if (!this.#attributes.has(key)) {
      this.#attributes.set(key, readAttributes(path, med, localPref));
    }
    return this.#attributes.get(key);
  }
}

function retainedPath(nextHop: string, attributes: PathAttributes, pathId: number | undefined): RetainedPath {
  return { nextHop, attributes, ...(pathId === undefined ? {} : { pathId }) };
}

function readAttributes(
  path: JsonObject,
  med: number | undefined,
  localPref: number | undefined,
): PathAttributes | undefined {
  const found = [...communitiesOf(path, 'community'), ...communitiesOf(path, 'largeCommunity')];
  const communities = found.filter((each) => each !== undefined);
  if (med === undefined || localPref === undefined || communities.length < found.length) {
    return undefined;
  }
  return decidedAttributes(
    pathAttributes({
      asPath: [],
      localPref,
      med,
      communities: communities.filter(isStandard),
      largeCommunities: communities.filter(isLarge),
      linkBandwidth: linkBandwidth(path),
    }),
  );
}

function communitiesOf(path: JsonObject, name: string): (Community | undefined)[] {
  return arrayField(objectField(path, name), 'list').map((text) => {
    const parsed = parseCommunity(String(text));
    return parsed.ok ? parsed.value : undefined;
  });
}

function linkBandwidth(path: JsonObject): LinkBandwidth | undefined {
  const [, asn, bytes] =
    LINK_BANDWIDTH.exec(textField(objectField(path, 'extendedCommunity'), 'string') ?? '') ?? [];
  return asn === undefined ? undefined : { asn: Number(asn), bytesPerSecond: Number(bytes) };
}
