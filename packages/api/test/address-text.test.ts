// Addresses and prefixes as people and programs write them, at every place where an object holds one: the
// same text is read the same way everywhere, and what is refused is refused everywhere.

import { describe, expect, it } from 'vitest';
import { projectEndpointSlice, projectNode, projectObject, projectService } from '../src/index.ts';
import { BGP_PEER_CASES } from './cases/bgp-peer.ts';
import { manifest } from './cases/case.ts';
import { IP_ADDRESS_POOL_CASES } from './cases/ip-address-pool.ts';

function ofNode(text: string): string | undefined {
  const addresses = [{ type: 'InternalIP', address: text }];
  const result = projectNode({ metadata: { name: 'w1' }, status: { addresses } });
  return result.ok ? result.value.addresses[0]?.address.text : undefined;
}

function ofService(text: string): string | undefined {
  const status = { loadBalancer: { ingress: [{ ip: text }] } };
  const result = projectService({ metadata: { name: 'web', namespace: 'shop' }, status });
  return result.ok ? result.value.ingress[0]?.text : undefined;
}

function ofPeer(text: string): string | undefined {
  const result = projectObject(manifest(BGP_PEER_CASES, { peerAddress: text }), 'manifest');
  return result?.ok === true && result.value.kind === 'BGPPeer' ? result.value.address.text : undefined;
}

function ofSlice(text: string, addressType: string): string | undefined {
  const metadata = { name: 'web-1', namespace: 'shop' };
  const result = projectEndpointSlice({ metadata, addressType, endpoints: [{ addresses: [text] }] });
  return result.ok ? result.value.endpoints[0]?.address : undefined;
}

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['1.1.1.1', '1.1.1.1'],
    ['10.0.0.0', '10.0.0.0'],
    ['10.255.255.255', '10.255.255.255'],
    ['223.255.255.255', '223.255.255.255'],
    ['100.64.0.1', '100.64.0.1'],
    ['169.254.1.1', '169.254.1.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8::0:1', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
    ['2001:db8:1:1:1:1:0:1', '2001:db8:1:1:1:1:0:1'],
    ['2001:db8::', '2001:db8::'],
    ['fd00::1', 'fd00::1'],
    ['fc00::', 'fc00::'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['2001:db8::192.0.2.1', '2001:db8::c000:201'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('%s is %s, of whatever it is the address', (text, canonical) => {
    const family = canonical.includes(':') ? 'IPv6' : 'IPv4';
    expect([ofNode(text), ofService(text), ofPeer(text), ofSlice(text, family)]).toEqual(
      Array.from({ length: 4 }, () => canonical),
    );
    expect(ofSlice(text, family === 'IPv4' ? 'IPv6' : 'IPv4')).toBeUndefined();
  });

  it.each([
    ['a name', 'localhost'],
    ['three octets', '192.0.2'],
    ['five octets', '192.0.2.1.1'],
    ['an octet too large', '192.0.2.256'],
    ['an octet far too large', '192.0.2.4294967297'],
    ['a leading zero', '192.0.2.01'],
    ['a leading zero that is all', '192.0.2.00'],
    ['an empty octet', '192.0..1'],
    ['a dot at the end', '192.0.2.1.'],
    ['a dot in front', '.192.0.2.1'],
    ['a hexadecimal octet', '0xc0.0.2.1'],
    ['one number', '3221225985'],
    ['a sign', '-1.0.0.1'],
    ['a port', '192.0.2.1:179'],
    ['a length', '192.0.2.1/32'],
    ['a space in front', ' 192.0.2.1'],
    ['a space behind', '192.0.2.1 '],
    ['a line break', '192.0.2.1\n'],
    ['a NUL', '192.0.2.1\0'],
    ['digits of another script', '192.0.2.١'],
    ['brackets', '[2001:db8::1]'],
    ['brackets and a port', '[2001:db8::1]:179'],
    ['a zone', 'fe80::1%eth0'],
    ['a zone that is empty', '2001:db8::1%'],
    ['a length of IPv6', '2001:db8::1/128'],
    ['seven groups', '2001:db8:1:2:3:4:5'],
    ['nine groups', '2001:db8:1:2:3:4:5:6:7'],
    ['two gaps', '2001:db8::1::1'],
    ['three colons', '2001:db8:::1'],
    ['a gap that is none', '2001:db8:1:2:3:4:5:6::'],
    ['five digits', '2001:db8::00001'],
    ['a letter too far', '2001:db8::g'],
    ['a colon at the end', '2001:db8::1:'],
    ['a colon in front', ':2001:db8::1'],
    ['a quad in the middle', '2001:192.0.2.1::1'],
    ['half a quad', '2001:db8::192.0.2'],
    ['an IPv4-mapped address', '::ffff:192.0.2.1'],
    ['an IPv4-mapped address in hexadecimal', '::ffff:c000:201'],
    ['an IPv4-mapped address in full', '0:0:0:0:0:ffff:c000:0201'],
    ['two addresses', '192.0.2.1,192.0.2.2'],
    ['a range', '192.0.2.1-192.0.2.2'],
  ])('%s is none: %j', (_, text) => {
    expect([ofNode(text), ofService(text), ofPeer(text)]).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['0.0.0.0', false],
    ['::', false],
    ['127.0.0.1', false],
    ['127.255.255.254', false],
    ['::1', false],
    ['224.0.0.1', false],
    ['239.255.255.255', false],
    ['ff02::1', false],
    ['ff0e::1', false],
    ['255.255.255.255', false],
    ['fe80::1', false],
    ['febf::1', false],
    ['fec0::1', true],
    ['169.254.1.1', true],
    ['128.0.0.1', true],
    ['126.255.255.255', true],
    ['223.255.255.255', true],
    ['::2', true],
  ])('%s can be that of a router: %s', (text, usable) => {
    expect(ofPeer(text) !== undefined).toBe(usable);
  });
});

function ofPool(text: string): string | undefined {
  const result = projectObject(manifest(IP_ADDRESS_POOL_CASES, { addresses: [text] }), 'manifest');
  const range =
    result?.ok === true && result.value.kind === 'IPAddressPool' ? result.value.ranges[0] : undefined;
  return range && `${range.first.text}-${range.last.text}`;
}

describe('addresses of a pool', () => {
  it.each([
    ['192.0.2.0/24', '192.0.2.0-192.0.2.255'],
    ['192.0.2.7/32', '192.0.2.7-192.0.2.7'],
    ['192.0.2.6/31', '192.0.2.6-192.0.2.7'],
    ['10.0.0.0/8', '10.0.0.0-10.255.255.255'],
    ['192.0.2.7', '192.0.2.7-192.0.2.7'],
    ['192.0.2.7-192.0.2.7', '192.0.2.7-192.0.2.7'],
    ['192.0.2.10-192.0.2.20', '192.0.2.10-192.0.2.20'],
    ['192.0.2.10 - 192.0.2.20', '192.0.2.10-192.0.2.20'],
    ['192.0.1.255-192.0.2.0', '192.0.1.255-192.0.2.0'],
    ['2001:db8::/64', '2001:db8::-2001:db8::ffff:ffff:ffff:ffff'],
    ['2001:DB8::/127', '2001:db8::-2001:db8::1'],
    ['2001:db8::1', '2001:db8::1-2001:db8::1'],
    ['2001:db8::1-2001:DB8::FF', '2001:db8::1-2001:db8::ff'],
    ['2001:db8::ff-2001:db8::100', '2001:db8::ff-2001:db8::100'],
  ])('%s are %s', (text, ends) => {
    expect(ofPool(text)).toBe(ends);
  });

  it.each([
    ['host bits', '192.0.2.1/24'],
    ['host bits of IPv6', '2001:db8::1/64'],
    ['a length too long', '192.0.2.0/33'],
    ['a length too long for IPv6', '2001:db8::/129'],
    ['a length with a zero', '192.0.2.0/024'],
    ['a length with a sign', '192.0.2.0/+24'],
    ['no length', '192.0.2.0/'],
    ['two lengths', '192.0.2.0/24/24'],
    ['a mask', '192.0.2.0/255.255.255.0'],
    ['reversed', '192.0.2.20-192.0.2.10'],
    ['reversed IPv6', '2001:db8::2-2001:db8::1'],
    ['reversed by number and not by text', '192.0.2.100-192.0.2.99'],
    ['two families', '192.0.2.1-2001:db8::1'],
    ['three ends', '192.0.2.1-192.0.2.2-192.0.2.3'],
    ['one end', '192.0.2.1-'],
    ['the other end', '-192.0.2.1'],
    ['a short end', '192.0.2.10-20'],
    ['a range of prefixes', '192.0.2.0/25-192.0.2.128/25'],
    ['a name', 'public'],
    ['nothing', ''],
    ['everything', '0.0.0.0/0'],
    ['everything of IPv6', '::/0'],
    ['loopback', '127.0.0.0/8'],
    ['multicast', '224.0.0.0/4'],
    ['link-local', '169.254.0.0/16'],
    ['link-local of IPv6', 'fe80::/64'],
    ['mapped', '::ffff:192.0.2.0/120'],
  ])('are not: %s %j', (_, text) => {
    expect(ofPool(text)).toBeUndefined();
  });
});
