package config

// Code explains one code of a problem, for help without a network.
type Code struct {
	Code    string // E102
	Title   string // what it is, in a few words
	Cause   string // why it is refused or warned of
	Example string // lines that bring it about
	Fix     string // what to do
}

// Codes is every code that a problem may have, in order: E1xx for the file and
// the form of values, E2xx for what does not fit together, E3xx for rules, E6xx for certificates,
// E8xx for what fails when a configuration is put to use; W for what is probably
// not meant. The packages that compile and run a configuration have theirs here too.
var Codes = []Code{
	{
		"E100", "not YAML",
		"The file cannot be read as YAML. What comes after the place was not looked at.",
		"listeners: [{ address: \":8080\" }",
		"Close brackets and quotes, indent with blanks, and quote values that begin with a special character. Inside { } a substitution is quoted: \"${env:NAME}\".",
	},
	{
		"E101", "file cannot be read",
		"The file does not exist, is not a regular file, is too large, holds nothing, or may not be read by this user.",
		"weirkeep serve -c missing.yaml",
		"Check the path and its permissions. weirkeep init weirkeep.yaml makes a file to begin with.",
	},
	{
		"E102", "unknown key",
		"A key that does not exist would be ignored, so a misspelt one is an error.",
		"clusters: { shop: { orgins: [] } }",
		"Use the key that is suggested; weirkeep init prints every key there is.",
	},
	{
		"E103", "key written twice",
		"A map has the same key twice, and only one of the values could hold.",
		"drain:\n  delay: 5s\n  delay: 10s",
		"Take one of them away.",
	},
	{
		"E104", "wrong type",
		"The value is of another kind than the key takes: a list for a map, a number for text. YAML takes 1.2 and true for a number and a truth value unless they are quoted.",
		"tls: { min_version: 1.2 }",
		"Write the kind of value that is asked for; quote text that looks like a number.",
	},
	{
		"E105", "key without value",
		"The key has no value. What was meant to be below it may be indented wrongly or commented out.",
		"drain:\n  delay:",
		"Write a value, or take the key away to get its default.",
	},
	{
		"E106", "missing key",
		"Something that has no default is not there, or a list or map that must not be empty is.",
		"clusters: { shop: { balancer: random } }",
		"Add the key that is named.",
	},
	{
		"E107", "substitution fails",
		"${env:NAME} or ${file:path} names something that is not there, or stands inside other text. Only a whole value is replaced.",
		"admin: { token: \"${env:NO_SUCH_VARIABLE}\" }",
		"Set the variable, give a default as in ${env:NAME:-default}, or correct the path.",
	},
	{
		"E108", "YAML that is not used here",
		"Merge keys (<<), tags (!!str), keys that are no words, several documents in a file, and aliases without an anchor before them are refused: each hides what holds.",
		"second: { <<: *first }",
		"Write the keys out. An alias that stands for a whole value is fine.",
	},
	{
		"E109", "too much",
		"The configuration is nested too deeply, unfolds to too many values, includes too many files, or has too many mistakes to list.",
		"include: [\"/**/*\"]",
		"Make it smaller. A configuration that honestly needs more is worth a bug report.",
	},
	{
		"E110", "outside of what is allowed",
		"The value is of the right kind, but outside the range, or not one of the words, that the key takes.",
		"limits: { header_count: 5 }",
		"Choose a value from those that the message names.",
	},
	{
		"E111", "quantity cannot be read",
		"A duration, size, rate or percentage has no unit or one that does not exist. Only zero needs none.",
		"timeouts: { head: 10 }",
		"Write a unit: 10s, 5m, 7d; 32KiB, 5MB; 240B/s; 20%.",
	},
	{
		"E112", "malformed value",
		"The text does not have the form of a host, address, prefix, header value or name.",
		"sites: { shop: { hosts: [\"shop.example/path\"] } }",
		"Follow the form that the message gives.",
	},
	{
		"E114", "header field of the gateway",
		"Fields that frame a message or belong to one connection are written by the gateway. Editing them would make two readings of one message possible.",
		"headers: { request: { set: { Content-Length: \"0\" } } }",
		"Take it away. The Host that origins get is a cluster's host_header.",
	},
	{
		"E201", "defined twice",
		"A name or a setting is there twice, in one file or in two that are read together.",
		"listeners: [{ name: a, address: \":80\" }, { name: a, address: \":81\" }]",
		"Rename one, or take it away. Lists of listeners and mappings are joined over files, settings are not.",
	},
	{
		"E202", "address in use twice",
		"Two listeners, or a listener and admin, would listen at the same port of the same address. \":8080\" is port 8080 of every address.",
		"listeners: [{ address: \":8080\" }, { address: \"127.0.0.1:8080\" }]",
		"Choose another port for one of them.",
	},
	{
		"E203", "origin defined in two ways",
		"An origin is one address with one name, kind, capacity and state, in every cluster: load, health and connections go by it. An origin without a name is called by its address as it is written.",
		"clusters:\n  a: { origins: [{ name: web1, address: \"10.0.0.1:80\" }] }\n  b: { origins: [{ name: web1, address: \"10.0.0.2:80\" }] }",
		"Define the origin once, under origins, and name it in both clusters.",
	},
	{
		"E204", "file cannot be used",
		"A certificate, key, authority or page is not there or cannot be read.",
		"sites: { shop: { pages: { network: pages/missing.html } } }",
		"Correct the path, which is relative to the file that names it, or its permissions.",
	},
	{
		"E205", "unknown name",
		"A site, cluster, origin or session is named that is not defined.",
		"mappings: [{ site: shop, cluster: shopp }]",
		"Use the name that is suggested, or define it.",
	},
	{
		"E206", "origin listed twice",
		"A cluster has the same origin twice, by its address.",
		"clusters: { a: { origins: [{ address: \"10.0.0.1:80\" }, { address: \"http://10.0.0.1\" }] } }",
		"List it once.",
	},
	{
		"E207", "settings that exclude or need each other",
		"One setting cannot work with, or without, another.",
		"listeners: [{ address: \":80\", proxy_protocol: require }]",
		"Do what the hint says.",
	},
	{
		"E208", "nothing to decide by",
		"There are several clusters and no sites, or sites and no mappings, so that no request could be answered.",
		"clusters:\n  a: { origins: [{ address: \"10.0.0.1:80\" }] }\n  b: { origins: [{ address: \"10.0.0.2:80\" }] }",
		"Add sites, and mappings from sites to clusters. Only a single cluster needs neither.",
	},
	{
		"E209", "include that fails",
		"A pattern names no file or is malformed, or names one that is read already.",
		"include: [conf.d/missing.yaml]",
		"Correct the pattern. One with * that matches nothing is fine.",
	},
	{
		"E210", "balancer that cannot be made",
		"The gateway was given a balancer that it has not. A file is refused before that, with E110: only a program that uses the gateway as a library gets here.",
		"cluster.Balancer = \"least-load\" // in Go",
		"Choose one of those that the message names.",
	},
	{
		"E211", "cluster twice in one mapping",
		"A mapping balances over its clusters as one, and tries its failover clusters after them; naming one again would do nothing.",
		"mappings: [{ site: shop, clusters: [a, b], failover: [a] }]",
		"Take one of them away, or name another.",
	},
	{
		"E220", "page cannot be read",
		"A page was there when the configuration was read, and is not any more.",
		"sites: { shop: { pages: { network: pages/network.html } } }",
		"Put the file back; while it is away, reload changes nothing.",
	},
	{
		"E230", "mappings that cannot be compiled",
		"The table of sites and mappings refuses one of them.",
		"sites: { shop: { hosts: [shop.example], path_prefix: /shop } }\nmappings: [{ site: shop, prefix: /api, cluster: shop }]",
		"Do what the message says: here, write a prefix below /shop.",
	},
	{
		"E240", "gateway cookie that cannot be made",
		"A session's own cookie cannot be made from its settings.",
		"sessions: { shop: { cookie: S, binding: gateway-cookie, keys: [\"short\"] } }",
		"Write keys of at least 32 characters: openssl rand -base64 48 makes one.",
	},
	{
		"E241", "extract that cannot be compiled",
		"What says where a session id names its origin cannot be compiled.",
		"sessions: { shop: { cookie: S, extract: { regex: \"(\" } } }",
		"Write one of format, regex, and offset with length or stop_chars.",
	},
	{
		"E301", "expression that cannot be read",
		"A rule's condition has a mistake of syntax, names what does not exist, or compares what cannot be compared. The place is that in the expression.",
		"rules: [{ name: a, when: 'clinet.ip == ip(\"10.0.0.1\")', reject: {} }]",
		"rules/RULES.md has every variable and function; weirkeep rules repl tries an expression out.",
	},
	{
		"E302", "condition that is neither true nor false",
		"A rule's condition must be true or false of a request.",
		"rules: [{ name: a, when: method, reject: {} }]",
		"Compare it with something: method == \"GET\".",
	},
	{
		"E307", "literal that cannot be used",
		"An address, network, pattern, time zone, list or cluster in an expression cannot be used, or is no literal: it is compiled when the configuration is read.",
		"when: cidr(client.ip, \"10.0.0.0/33\")",
		"Write what the message names.",
	},
	{
		"E309", "not part of rules",
		"Rules compare parts of a request. They have no loops, ranges, arithmetic, variables of their own, and no nil.",
		"when: all(1..10, # > 0)",
		"Write each case, or use in_list().",
	},
	{
		"E312", "rules that cost too much",
		"The sum of what the parts of an expression cost, or of all rules of a site, is over the limit: 500 and 5000. RULES.md has the costs.",
		"when: path matches \"a\" or path matches \"b\" or ...",
		"Use glob(), startsWith, in_list(), or a list of constants; weirkeep check -v shows what each rule costs.",
	},
	{
		"E313", "expression that is too long",
		"An expression may have 16 KiB and 300 parts.",
		"when: \"...\"",
		"Write several rules, or a list.",
	},
	{
		"E314", "destination that cannot be read",
		"A permit names origins in a form that there is not.",
		"permit: { to: [main//web1] }",
		"Write cell/cluster, cell/cluster/origin, cell/cluster@edition, app:NAME@edition, cluster=CELL,CLUSTER or server=CELL,HOST,USERDIR,ORIGIN.",
	},
	{
		"E320", "sticky without cookie",
		"A permit that binds clients needs sessions with binding: gateway-cookie, and its site has none.",
		"permit: { to: main/shop, sticky: true }",
		"Give the site such a session, or take sticky away.",
	},
	{
		"E321", "location that cannot be used",
		"A redirect must say where it leads before a part of the request is put in, or a client could be led anywhere.",
		"redirect: { location: \"{path}\" }",
		"Begin with https://, a host or {host}, and a path; or with / and something of its own.",
	},
	{
		"E601", "authorities that cannot be used",
		"A ca file is there and holds no certificate in PEM form.",
		"tls: { ca: tls/empty.pem }",
		"Name a file of certificates, each from BEGIN CERTIFICATE to END CERTIFICATE.",
	},
	{
		"E602", "certificate that cannot be used",
		"A cert and its key are there and are no pair in PEM form.",
		"certificates: [{ cert: tls/site.pem, key: tls/other.key }]",
		"Name the key that belongs to the certificate; the certificate comes first in its file, those between it and the authority after it.",
	},
	{
		"E801", "stopping",
		"The gateway was told to stop and takes no configuration any more.",
		"weirkeep reload",
		"Start it again.",
	},
	{
		"E802", "address that cannot be listened at",
		"The address is taken by another process, does not belong to this machine, or its port needs rights that the user has not.",
		"listeners: [{ address: \":80\" }]",
		"Find what has it with ss -ltnp, choose another, or grant CAP_NET_BIND_SERVICE.",
	},
	{
		"E803", "access log that cannot be opened",
		"The file of the access log cannot be created or written.",
		"access_log: { path: /var/log/weirkeep/access.log }",
		"Make its directory, and let the user of the gateway write there.",
	},
	{
		"E804", "admin socket that cannot be made",
		"The folder of admin.socket does not exist or may not be written to, or something else has the path.",
		"admin: { socket: /run/weirkeep/admin.sock }",
		"Make the folder, and let the user of the gateway write there; systemd does with RuntimeDirectory=weirkeep.",
	},
	{
		"E805", "state directory that cannot be used",
		"The admin token is kept in node.state_dir, and it cannot be written or read there.",
		"node: { state_dir: /var/lib/weirkeep }",
		"Let the user of the gateway write there (systemd does with StateDirectory=weirkeep), choose another node.state_dir, or set admin.token.",
	},
	{
		"W310", "mapping that can never match",
		"An earlier mapping takes every request that this one would. Mappings are not reordered.",
		"mappings:\n  - { site: shop, cluster: a }\n  - { site: shop, prefix: /api, cluster: b }",
		"Put the more specific mapping first. Mappings are counted from 0, here and in log and metrics.",
	},
	{
		"W312", "permit outside the best set",
		"Rules only narrow what the mapping or application serves. This permit leaves nothing of it, so what the rule matches is answered 503.",
		"rules: [{ name: a, when: 'path startsWith \"/A/B/\"', permit: { to: main/clusterA } }]",
		"Name clusters that serve the path; weirkeep explain shows the best set of a request.",
	},
	{
		"W320", "strip_prefix without prefix",
		"There is nothing to take off.",
		"mappings: [{ site: shop, strip_prefix: true, cluster: shop }]",
		"Add a prefix, or take strip_prefix away.",
	},
	{
		"W321", "tls of a cluster without https",
		"The options say how https origins are verified, and no origin of the cluster is one.",
		"clusters: { shop: { tls: { verify: true }, origins: [{ address: \"10.0.0.1:80\" }] } }",
		"Write the origin as https://host, or take tls away.",
	},
	{
		"W322", "authorities that no client is held against",
		"client_auth has a ca and its mode is none, so clients are not asked for a certificate.",
		"client_auth: { mode: none, ca: clients.pem }",
		"Set the mode to optional or require, or take ca away.",
	},
	{
		"W323", "authorities that no origin is held against",
		"A cluster's tls has a ca and does not verify.",
		"tls: { ca: origins.pem, verify: false }",
		"Take verify: false away; with a ca there is rarely a need for it.",
	},
	{
		"W324", "cluster that is not used",
		"No mapping names the cluster.",
		"clusters:\n  shop: { origins: [{ address: \"10.0.0.1:80\" }] }\n  spare: { origins: [{ address: \"10.0.0.2:80\" }] }",
		"Add a mapping, or take the cluster away.",
	},
	{
		"W325", "shared origin that is not used",
		"No cluster names the origin.",
		"origins: { spare: { address: \"10.0.0.2:80\" } }",
		"Name it in a cluster, or take it away.",
	},
	{
		"W326", "site that is not mapped",
		"No mapping names the site, so requests for its hosts are refused.",
		"sites: { old: { hosts: [old.example] } }",
		"Add a mapping, or take the site away.",
	},
	{
		"W327", "everybody is trusted",
		"A network of trusted_proxies holds every address, so that any client may say who it is.",
		"trusted_proxies: [0.0.0.0/0]",
		"Name the networks of the proxies.",
	},
	{
		"W328", "repetition",
		"The same entry, or one that contains it, is in the list already.",
		"trusted_proxies: [10.0.0.0/8, 10.1.0.0/16]",
		"Take one of them away.",
	},
	{
		"W329", "header removed and set",
		"Setting a header replaces it, so removing it as well has no effect.",
		"headers: { request: { set: { X-Env: prod }, remove: [X-Env] } }",
		"Take it out of remove.",
	},
	{
		"W330", "origin that is this gateway",
		"An origin has the address of one of the gateway's own listeners, so that it would ask itself, again and again.",
		"listeners: [{ address: \":8080\" }]\nclusters: { shop: { origins: [{ address: \"127.0.0.1:8080\" }] } }",
		"Write the address of the server that answers.",
	},
	{
		"W331", "settings of a log that is off",
		"The access log's format is off, so where it goes does not matter.",
		"access_log: { format: off, path: access.log }",
		"Choose a format, or take the setting away.",
	},
	{
		"W332", "token that nobody can use",
		"There is neither an address nor a socket for administrators.",
		"admin: { address: \"off\", token: \"${file:token}\" }",
		"Give admin an address or a socket, or take the token away.",
	},
	{
		"W333", "redirect to https that nobody answers",
		"A listener redirects to https, no listener has tls, and there are no trusted_proxies that might speak it: clients are sent to port 443 of the host.",
		"listeners: [{ address: \":80\", redirect_to_https: true }]",
		"Add a listener with tls, name the proxies that speak it in trusted_proxies, or take the redirect away.",
	},
	{
		"W334", "setting that another cluster decides",
		"A mapping balances over several clusters as one, and the first of them leads: its balancer, queue, retry and session hold for all. Another one says something else, which has no effect there.",
		"clusters:\n  a: { origins: [web1], queue: { size: 10 } }\n  b: { origins: [web2], queue: { size: 500 } }\nmappings: [{ site: shop, clusters: [a, b] }]",
		"Put the cluster that is to lead first, or give both the same setting.",
	},
	{
		"W335", "overflow to nowhere",
		"A cluster's queue overflows to failover clusters, and no mapping that begins with the cluster names any: a full queue answers with the busy page.",
		"clusters: { shop: { queue: { overflow: failover }, origins: [web1] } }\nmappings: [{ site: shop, cluster: shop }]",
		"Add failover: [other] to the mapping, or take overflow away.",
	},
	{
		"W336", "ping beside health",
		"A ping asks whether an origin is back that was given up. With health, the checks do that, and only they bring it back.",
		"clusters: { shop: { failover: { ping: { path: / } }, health: { path: /health }, origins: [web1] } }",
		"Take ping away, or health.",
	},
	{
		"W337", "cluster out of service",
		"No origin of the cluster is serving: each is in maintenance or disabled, which gets nothing, or draining, which gets no new clients. They are answered by the failover clusters of the mapping, or with the network page.",
		"origins: { web1: { address: \"10.0.0.1:80\", state: maintenance } }\nclusters: { shop: { origins: [web1] } }",
		"Let one of them serve. To take a whole cluster out, name another in failover of its mappings first.",
	},
	{
		"W338", "session that is not used",
		"No site and no cluster names the session, so it binds nothing.",
		"sessions: { shop: { cookie: SHOPID } }",
		"Name it in a site or a cluster, or take it away.",
	},
	{
		"W339", "links without parameter",
		"Links are looked through for the parameter url_param, and the session has none.",
		"sessions: { shop: { cookie: SHOPID, learn_from_links: true } }",
		"Add url_param, or take learn_from_links away.",
	},
	{
		"W340", "rule that is ignored",
		"Rules are read from one cell only, rules_authority, and this one is of another.",
		"rules_authority: main\nrules: [{ name: a, cell: dr, reject: {} }]",
		"Change rules_authority when the other cell's rules are to count, or take cell away.",
	},
	{
		"W341", "application that is not used",
		"No mapping names the application, so it serves nothing.",
		"applications: { shop: { clusters: [app] } }",
		"Name it in applications of a mapping, or take it away.",
	},
	{
		"W342", "bindings that shield from rejects",
		"A session id is something that a client can type. With affinity_shields: all whoever sends one that is bound walks past every reject.",
		"affinity_shields: all",
		"Leave it at permit, unless you import rules that count on it.",
	},
	{
		"W343", "length that cuts ids",
		"Ids of origins have 9 to 11 characters in the field; a length alone cuts those that are longer.",
		"extract: { offset: 53, length: 10 }",
		"Write stop_chars: \":!\": they win.",
	},
	{
		"W344", "binding that finds nothing",
		"Sessions are to name their origins themselves, and no origin has ids.",
		"sessions: { wls: { cookie: JSESSIONID, binding: passive, extract: { format: weblogic } } }",
		"Write ids at the origins, as session ids have them.",
	},
	{
		"W603", "certificate that is not valid, or not for long",
		"A listener's certificate has expired, is not valid yet, or expires within 14 days.",
		"certificates: [{ cert: tls/site.pem, key: tls/site.key }]",
		"Renew it. Files that are replaced are read again without a reload.",
	},
	{
		"W604", "certificate for nobody",
		"No host of any site is among the names of a listener's certificate, so every client that checks names refuses it.",
		"certificates: [{ cert: tls/other.pem, key: tls/other.key }]",
		"Name the certificate of the site's hosts, or take it away.",
	},
	{
		"W810", "change that waits for a start",
		"The setting is read once, when the gateway starts. A reload takes everything else.",
		"admin: { address: \"127.0.0.1:9901\" }",
		"Start weirkeep again when it suits.",
	},
}

// Explain is the entry of a code, in upper case.
func Explain(code string) (Code, bool) {
	for _, c := range Codes {
		if c.Code == code {
			return c, true
		}
	}
	return Code{}, false
}
