// The word by which the program is asked to be what stays beside bgpd. Not a command for people: `herald bgpd`
// ends in it.

export const SUPERVISE = 'supervise-bgpd';
