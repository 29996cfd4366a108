// All that needs a cluster of its own, one after the other: no machine has to run two, while the lab tests have the
// other worker. `-t` chooses some.

import './own/cluster-lab.ts';
import './own/install.ts';
import './own/rights.ts';
import './own/standby-modes.ts';
