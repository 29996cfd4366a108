// Attributes of a path that says nothing but what every path has to.

import { pathAttributes } from '@herald/net';

export const PLAIN_ATTRIBUTES = pathAttributes({
  asPath: [],
  localPref: 100,
  med: 0,
  communities: [],
  largeCommunities: [],
  linkBandwidth: undefined,
});
